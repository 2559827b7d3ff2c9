/** IdbRecords under the contract of records, in a real browser. */
import { openIdbRecords } from "../../src/browser/records/idb-records.ts";
import { recordsContract } from "./records.ts";

recordsContract(() => openIdbRecords(crypto.randomUUID()));
