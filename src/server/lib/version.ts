/** The product's version, as the changelog has it (F6). */
export const VERSION = '1.0.1'
