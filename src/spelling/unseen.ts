/**
 * Nothing to be seen: white space, a Braille letter without dots, and what fonts are not to draw, as joiners, fillers and tags.
 * Used by names of files and peers, here and in links. Source: Unicode Standard Annex 44.
 */
export const UNSEEN = /^[\s\u2800\p{Default_Ignorable_Code_Point}]*$/u;
