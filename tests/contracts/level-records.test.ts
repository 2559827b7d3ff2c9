/** LevelRecords under the contract of records. */
import { openLevelRecords } from "../../src/headless/level/level-records.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { recordsContract } from "./records.ts";

recordsContract(async () => openLevelRecords(await temporaryFolder()));
