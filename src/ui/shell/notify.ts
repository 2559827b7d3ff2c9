/** A notification of the system, where a person has allowed it. Called by what tells of things while nobody looks. */

/** One with the same `tag` takes its place. By the service worker where there is one: phones know no other way. */
export async function notify(title: string, body: string, tag: string): Promise<void> {
  if (!("Notification" in window) || Notification.permission !== "granted") return;
  const options: NotificationOptions = { body, icon: "/icons/shoal-192.png", tag };
  const isServed = (await navigator.serviceWorker?.getRegistration()) !== undefined;
  // In the first seconds of a first visit it is not there yet.
  if (isServed) await (await navigator.serviceWorker.ready).showNotification(title, options);
  else new Notification(title, options);
}
