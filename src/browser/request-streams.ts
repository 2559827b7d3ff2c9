/** Whether this engine's Request takes a stream as its body. Asked by main. Source: the feature test of the Fetch standard's authors. */
export function takesStreams(): boolean {
  let isDuplexRead = false;
  const init = {
    method: "POST",
    body: new ReadableStream(),
    get duplex() {
      isDuplexRead = true;
      return "half";
    },
  };
  // An engine without makes text of the stream, and gives that a type.
  return !new Request(location.origin, init as RequestInit).headers.has("Content-Type") && isDuplexRead;
}
