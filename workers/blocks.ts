/**
 * The thread that keeps chunks and writes files of the origin private file system. Started by
 * src/browser/blocks/storage-worker.
 */
import { expose } from "comlink";
import { StorageWork } from "../src/browser/blocks/storage-work.ts";

expose(new StorageWork());
