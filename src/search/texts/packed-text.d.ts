export declare function packedText(archive: Uint8Array): string;
