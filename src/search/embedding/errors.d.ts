/** The errors of embedding. They cross threads as data, since a thread's message keeps no error's name. */
export type EmbeddingErrorName = 
/** The folder of a model lacks a file or holds one that can't be used; the message says which and why. */
"bad_model"
/** The model's thread could not start or has ended; a later call starts it anew. */
 | "unavailable" | "closed";
export declare class EmbeddingError extends Error {
    readonly name: EmbeddingErrorName;
    constructor(name: EmbeddingErrorName, message: string, options?: ErrorOptions);
}
