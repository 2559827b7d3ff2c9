/**
 * The thread that keeps chunks and writes files of the origin private file system. Started by
 * src/browser/storage/storage-worker.
 */
import { expose } from "comlink";
import { StorageWork } from "../src/browser/storage/storage-work.ts";

expose(new StorageWork());
