export const PASSWORD_MIN = 8
/** argon2 takes any length; this bounds the work a request can ask for. */
export const PASSWORD_MAX = 200
