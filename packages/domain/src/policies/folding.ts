/** What a reader takes for the letter i: dotted and dotless, large and small. A combining dot goes with its letter. */
const everyI = /[Iiİı]\u0307?/gu

/**
 * A text as conditions compare it: `fold("  İSTANBUL  Kart ")` is "istanbul kart". Upper and lower case are alike in every
 * language, and so are the dotted and the dotless i, whose case pairs differ between Turkish and English. Spaces around a
 * text, and more than one within it, do not count.
 */
export const fold = (text: string): string =>
  text.normalize("NFKC").replace(everyI, "i").toLowerCase().trim().replace(/\s+/gu, " ")
