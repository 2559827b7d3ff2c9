/** A QR code's dark modules as one SVG path. Called by qr-code; calls nothing. */

/** `modules[y][x]` is true where dark; each row's dark stretches become one rectangle each. */
export function qrPath(modules: readonly (readonly boolean[])[]): string {
  const parts: string[] = [];
  modules.forEach((row, y) => {
    for (let x = 0; x < row.length; x++) {
      if (!row[x]) continue;
      let end = x + 1;
      while (row[end]) end += 1;
      parts.push(`M${x} ${y}h${end - x}v1h-${end - x}z`);
      x = end;
    }
  });
  return parts.join("");
}
