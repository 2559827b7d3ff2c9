/** Names of backups that nobody named: by their moment in UTC, so that they sort by age. Used by the engine. */
export function backupName(moment: Date): string {
  const random = crypto.getRandomValues(new Uint16Array(1))[0] as number;
  const stamp = moment.toISOString().replace(/[:.]/g, "-");
  return `vx-${stamp}-${random.toString(16).padStart(4, "0")}.zip`;
}
