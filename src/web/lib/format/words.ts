/** 'audit_log' → 'Audit log', 'user.password-reset' → 'User password reset' */
export function sentenceCase(name: string): string {
  const text = name.replace(/[._-]+/g, ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** 1 → '1 account', 2 → '2 accounts' */
export const count = (amount: number, noun: string): string =>
  `${new Intl.NumberFormat('en-US').format(amount)} ${noun}${amount === 1 ? '' : 's'}`
