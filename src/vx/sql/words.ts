/**
 * The words of SQLite's dialect that mean something in what a stranger may write. Called by the compilers of filters
 * and queries, and by the guard.
 * Source: https://sqlite.org/lang_keywords.html, lang_corefunc.html, lang_mathfunc.html, json1.html
 */

const setOf = (words: string) => new Set(words.trim().split(/\s+/));

/** Words of an expression. Every other word of a filter is a key, a function or an error. */
export const expressionWords = setOf(`
  and as between case cast collate current_date current_time current_timestamp distinct else end escape exists
  false from glob in is isnull like match not notnull null or regexp then true when`);

/** Words that SQLite keeps for itself: a key of that name needs quotes. */
export const reservedWords = setOf(`
  ${[...expressionWords].join(" ")}
  add all alter autoincrement check commit constraint create default deferrable delete drop except foreign group
  having index insert intersect into join limit nothing on order primary references returning select set table to
  transaction union unique update using values where`);

/** Words of a SELECT that SQLite takes for names elsewhere. */
export const selectWords = setOf(`
  asc by cross current desc exclude filter first following full groups indexed inner last left materialized natural
  no nulls offset others outer over partition preceding range recursive right row rows ties unbounded window with`);

/** Functions that say the same of the same values. */
const pureFunctions = setOf(`
  abs acos acosh asin asinh atan atan2 atanh ceil ceiling char coalesce concat concat_ws cos cosh degrees exp floor
  format glob hex if ifnull iif instr length like likelihood likely ln log log10 log2 lower ltrim max min mod nullif
  octet_length pi pow power printf quote radians replace round rtrim sign sin sinh sqrt substr substring tan tanh
  trim trunc typeof unicode unlikely upper
  json json_array json_array_length json_error_position json_extract json_insert json_object json_quote json_remove
  json_replace json_set json_type json_valid -> ->>
  json_array_contains json_array_contains_any json_array_contains_all`);

/** Functions that may say something else at another time: filters with them are not kept. */
export const changingFunctions = setOf(`
  current_date current_time current_timestamp date datetime julianday strftime time timediff unixepoch
  random`);

/** Functions over rows, for queries. */
const rowFunctions = setOf(`
  avg count cume_dist dense_rank first_value group_concat json_group_array json_group_object lag last_value lead
  median nth_value ntile percent_rank percentile percentile_cont percentile_disc rank row_number string_agg sum total`);

/** Functions that stand where tables do, for queries. */
export const tableFunctions = setOf("json_each json_tree");

export const expressionFunctions = new Set([...pureFunctions, ...changingFunctions]);
export const queryFunctions = new Set([...expressionFunctions, ...rowFunctions, ...tableFunctions]);
