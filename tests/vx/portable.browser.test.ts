/** Suites of the library that know no runtime, run in Chromium as they are run in Node.js. */
import "./arrow/arrow.test.ts";
import "./hnsw/filters.test.ts";
import "./hnsw/negatives.test.ts";
import "./hnsw/operations.test.ts";
import "./metadata/facets.test.ts";
import "./metadata/filter.test.ts";
import "./metadata/query.test.ts";
import "./sql/database.test.ts";
import "./storage/index-store.test.ts";
