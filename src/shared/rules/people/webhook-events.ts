type Event = {
  /** For the person who chooses it. */
  words: string
  /** The entries of the log that it is told for. */
  actions: readonly string[]
}

/** What a client is told of its own servers and orders, and the staff of all of them. */
const OF_CLIENTS = {
  'server.ready': { words: 'A server is ready', actions: ['token.assign'] },
  'server.power': {
    words: 'A server was started, stopped or restarted',
    actions: ['instance.start', 'instance.stop', 'instance.shutdown', 'instance.restart'],
  },
  'server.ending-soon': { words: 'The paid time ends within three days', actions: [] },
  'server.expired': { words: 'The paid time is over', actions: ['token.expire'] },
  'server.renewed': { words: 'The paid time is longer', actions: ['token.renew'] },
  'server.not-renewed': {
    words: 'Not renewed, because the credit is too small',
    actions: ['token.auto-renew-short'],
  },
  'server.ended': { words: 'A server was ended', actions: ['token.cancel'] },
  'server.removed': { words: 'A server and its data are gone', actions: ['token.end'] },
  'server.suspended': { words: 'The operator suspended a server', actions: ['instance.suspend'] },
  'server.resumed': { words: 'A suspended server runs again', actions: ['instance.resume'] },
  'server.reinstalled': { words: 'A new system is installed', actions: ['instance.reinstalled'] },
  'server.package-changed': {
    words: 'A server has another package',
    actions: ['instance.package-changed'],
  },
  'server.restored': {
    words: 'A server is back at a backup or snapshot',
    actions: ['instance.restored', 'instance.rolled-back'],
  },
  'server.handed-over': {
    words: 'A server went to another account',
    actions: ['instance.handed-over'],
  },
  'server.taken-over': {
    words: 'A server came from another account',
    actions: ['instance.taken-over'],
  },
  'server.traffic': {
    words: 'Four fifths, or all, of the traffic is used',
    actions: ['instance.traffic-80', 'instance.traffic-100'],
  },
  'server.host-key-changed': {
    words: 'A server shows another SSH host key',
    actions: ['instance.host-key-changed'],
  },
  'backup.made': { words: 'A backup is made', actions: ['instance.backed-up'] },
  'backup.failed': {
    words: 'A backup was not made',
    actions: ['instance.backup-refused', 'instance.backup-undone', 'instance.backup-left'],
  },
  'snapshot.taken': { words: 'A snapshot is taken', actions: ['instance.snapshot-taken'] },
  'order.placed': {
    words: 'An order is placed',
    actions: ['order.create', 'token.purchase', 'token.trial', 'token.provision'],
  },
  'order.paid': { words: 'A payment covers its order', actions: ['order.paid'] },
  'order.credited': { words: 'A payment became credit', actions: ['order.credited'] },
  'order.refunded': { words: 'A payment was sent back', actions: ['order.refunded'] },
  'order.returned': {
    words: 'A server did not answer, and its money came back',
    actions: ['order.returned'],
  },
  'order.lapsed': { words: 'An order was not paid in time', actions: ['order.lapse'] },
} satisfies Record<string, Event>

/** What only the staff is told. */
const OF_THE_HOUSE = {
  'account.registered': { words: 'An account was made', actions: ['auth.register'] },
  'account.deleted': {
    words: 'An account was deleted',
    actions: ['account.delete', 'user.delete'],
  },
  'order.disputed': {
    words: 'A payment is disputed, or the dispute is over',
    actions: ['order.dispute-open', 'order.dispute-won', 'order.dispute-lost'],
  },
  'sign-in.failures': {
    words: 'Sign-ins failed in the last hour',
    actions: ['auth.logins-failed'],
  },
} satisfies Record<string, Event>

const EVENTS = { ...OF_CLIENTS, ...OF_THE_HOUSE }
export type WebhookEvent = keyof typeof EVENTS
export const WEBHOOK_EVENTS = Object.keys(EVENTS) as [WebhookEvent, ...WebhookEvent[]]

export const eventWords = (event: WebhookEvent): string => EVENTS[event].words

/** The events that such an account can be told. */
export const eventsFor = (isStaff: boolean): readonly WebhookEvent[] =>
  isStaff ? WEBHOOK_EVENTS : WEBHOOK_EVENTS.filter((event) => Object.hasOwn(OF_CLIENTS, event))

const BY_ACTION = new Map(
  WEBHOOK_EVENTS.flatMap((event) => EVENTS[event].actions.map((action) => [action, event])),
)

/** The entries of the log that anybody can be told of. */
export const TOLD_ACTIONS: readonly string[] = [...BY_ACTION.keys()]

export const eventOf = (action: string): WebhookEvent | undefined => BY_ACTION.get(action)
