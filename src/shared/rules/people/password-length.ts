export const PASSWORD_MIN = 8
/** argon2 accepts any length; this limits the work that one request can cause. */
export const PASSWORD_MAX = 200
