/** Version of the program, put in by the build (vite.config.ts). */
declare const __SHOAL_VERSION__: string;
