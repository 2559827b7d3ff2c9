/** MemoryRecords under the contract of records. */
import { MemoryRecords } from "../../src/sharing/memory/memory-records.ts";
import { recordsContract } from "./records.ts";

recordsContract(async () => new MemoryRecords());
