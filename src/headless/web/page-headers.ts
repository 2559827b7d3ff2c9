/**
 * Headers of the page's files. Called by page-files for each of them. The page is isolated from other origins, so that
 * it may measure its memory; all that it loads is its own, so nothing is lost by it.
 */

/**
 * Scripts, workers and styles are the origin's own files. The node in the page speaks to peers wherever they are
 * (`ws:`, `wss:`) and sends webhooks (`http:`, `https:`); what it shows of files comes from `blob:` or the service worker.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "manifest-src 'self'",
  "connect-src 'self' ws: wss: http: https: blob:",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const IMMUTABLE = "public, max-age=31536000, immutable";

const CONTENT_TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webp": "image/webp",
  ".ico": "image/vnd.microsoft.icon",
  ".wasm": "application/wasm",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
};

/** `path`: of the URL. Files beneath /assets carry their hash in the name, so they never change. */
export function pageHeaders(path: string): Record<string, string> {
  const extension = /\.[a-z0-9]+$/.exec(path)?.[0] ?? "";
  return {
    "Content-Type": CONTENT_TYPES[extension] ?? "application/octet-stream",
    "Cache-Control": path.startsWith("/assets/") ? IMMUTABLE : "no-cache",
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(self), microphone=(), geolocation=(), payment=(), usb=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
  };
}
