/** `bytes` are taken over. @throws what PDF.js throws for what is no PDF, or one that asks for a password */
export declare function pdfText(bytes: Uint8Array): Promise<string>;
