/**
 * A model in another thread. Opened by ModelQueue through a runtime's host; the other end is serveModel. A model whose thread
 * is lost refuses every call, those under way too.
 */
import * as Comlink from "comlink";
import type { ModelCard } from "./serve-model.ts";
/** A thread that serves a model. */
export interface ModelThread {
    port: Comlink.Endpoint;
    /** Settles when the thread has ended, with the reason if it did so by itself. */
    ended: Promise<Error | undefined>;
    /** Whether calls are under way: an idle thread keeps no process alive. */
    setBusy(isBusy: boolean): void;
    end(): Promise<void>;
}
export declare class RemoteModel {
    #private;
    readonly card: ModelCard;
    /** Settles when the thread has ended. */
    readonly ended: Promise<unknown>;
    private constructor();
    /** Loads the thread's model; the thread is ended if that fails. @throws EmbeddingError `bad_model`, `unavailable` */
    static open(thread: ModelThread, folder: string | undefined): Promise<RemoteModel>;
    /** Of at most MAX_BATCH_TEXTS texts. @throws EmbeddingError */
    embed(texts: readonly string[]): Promise<Float32Array>;
    end(): Promise<void>;
}
