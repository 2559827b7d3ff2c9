/**
 * Nothing to be seen: white space, and joiners, which alone join nothing. Used by names of files and peers, here and in
 * links.
 */
export const UNSEEN = /^[\s\p{Join_Control}]*$/u;
