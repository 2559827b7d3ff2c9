/**
 * Draws the PNG icons of public/icons from shoal.svg there. Run by hand after the drawing changed
 * (`node src/ui/drawings/draw-icons.mjs`); drawn by Chromium, so that it is what a browser makes of the SVG.
 * Maskable icons keep the shoal in the middle 80 %, on ground without corners (W3C Manifest, "Icon masks").
 */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright";

const folder = new URL("../../../public/icons/", import.meta.url);
const drawing = await readFile(new URL("shoal.svg", folder), "utf8");
const maskable = drawing
  .replace(' rx="15"', "")
  .replace('transform="translate(32 32) rotate', 'transform="translate(32 32) scale(.82) rotate');

const icons = [
  { name: "shoal-192.png", svg: drawing, sidePixels: 192 },
  { name: "shoal-512.png", svg: drawing, sidePixels: 512 },
  { name: "maskable-192.png", svg: maskable, sidePixels: 192 },
  { name: "maskable-512.png", svg: maskable, sidePixels: 512 },
  { name: "apple-touch-180.png", svg: drawing.replace(' rx="15"', ""), sidePixels: 180 },
];

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const page = await browser.newPage();
for (const { name, svg, sidePixels } of icons) {
  await page.setViewportSize({ width: sidePixels, height: sidePixels });
  await page.setContent(`<style>body{margin:0}svg{display:block;width:100vw}</style>${svg}`);
  await page.screenshot({ path: fileURLToPath(new URL(name, folder)), omitBackground: true });
}
await browser.close();
