import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import { nameServers } from './name-servers.ts'
import {
  type BtcpayConfig,
  type KeyedProvider,
  type MoneroConfig,
  readKeys,
  type StripeConfig,
  variablesSet,
} from './provider-config.ts'
import { type ProviderName, providerList, realMoneyProblems, takesMoney } from './provider-list.ts'
import { httpUrl, PROVIDER_VARIABLES } from './provider-variables.ts'

/** How a device that already has an account is treated: refused, no free trial, or no effect. */
const DEVICE_POLICIES = ['strict', 'trial', 'off'] as const
const SECOND_FACTOR = ['required', 'optional'] as const
/** What a process does: serve pages and calls, run jobs, or both. */
const MODES = ['all', 'web', 'worker'] as const
const SECRET_MIN = 32

const flag = z.enum(['0', '1'], { error: 'must be 0 or 1' }).transform((value) => value === '1')
const integer = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`
  return z
    .string()
    .regex(/^\d{1,9}$/, error)
    .transform(Number)
    .pipe(z.number().min(min, error).max(max, error))
}

const Environment = z.object({
  PORT: integer(0, 65_535).default(3000),
  HOST: z.string().default('127.0.0.1'),
  PUBLIC_URL: httpUrl.optional(),
  DATA_DIR: z.string().default('./data'),
  DATABASE_URL: z
    .url({
      protocol: /^postgres(ql)?$/,
      error: 'must look like postgres://user:password@host/name',
    })
    .optional(),
  SECRET_KEY: z.string().min(SECRET_MIN, `must have at least ${SECRET_MIN} characters`).optional(),
  SECRET_KEY_FILE: z.string().optional(),
  SECRET_KEY_PREVIOUS: z.string().min(SECRET_MIN).optional(),
  ADMIN_EMAIL: z.email('must be an e-mail address').default('admin@hushbox.local'),
  ADMIN_PASSWORD: z.string().min(8, 'must have at least 8 characters').max(200).optional(),
  DEMO: flag.optional(),
  DEMO_LINUX: integer(0, 16).default(4),
  DEMO_QEMU: integer(0, 64).default(8),
  DEMO_TASK_MS: integer(5, 10_000).default(1000),
  PAYMENT_PROVIDER: providerList.default(['sandbox']),
  MODE: z.enum(MODES, { error: `must be one of ${MODES.join(', ')}` }).default('all'),
  DEVICE_POLICY: z
    .enum(DEVICE_POLICIES, { error: 'must be strict, trial or off' })
    .default('strict'),
  OPERATOR_SECOND_FACTOR: z
    .enum(SECOND_FACTOR, { error: 'must be required or optional' })
    .optional(),
  RECOVERY_DELAY_HOURS: integer(1, 720).default(72),
  GRACE_DAYS: integer(0, 90).default(7),
  UNPAID_LIMIT: integer(0, 1000).default(2),
  UNPAID_NETWORK_LIMIT: integer(0, 10_000).default(10),
  /** The database itself keeps every entry of the log for a year. */
  AUDIT_DAYS: integer(366, 36_500).default(730),
  /** A number of 7 digits is never reused: this decides how long they last. */
  REGISTRATIONS_PER_DAY: integer(1, 20_000).default(1500),
  REMOVALS_PER_HOUR: integer(1, 10_000).default(10),
  TRUST_PROXY: z
    .string()
    .regex(/^[0-9A-Fa-f.:/, ]+$/, 'must be addresses or networks of your proxies, comma-separated')
    .optional(),
  RATE_LIMIT_SCALE: z
    .string()
    .regex(/^\d{1,4}(\.\d{1,2})?$/, 'must be a number, 0 or more')
    .transform(Number)
    .default(1),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be fatal, error, warn, info, debug, trace or silent',
    })
    .default('info'),
  BRAND_NAME: z
    .string()
    .trim()
    .min(1)
    .max(40, 'must have at most 40 characters')
    .default('Hushbox'),
  OPERATOR_NAME: z.string().trim().max(80, 'must have at most 80 characters').optional(),
  OPERATOR_PLACE: z.string().trim().max(80, 'must have at most 80 characters').optional(),
  OPERATOR_CONTACT: z
    .string()
    .trim()
    .max(200, 'must have at most 200 characters')
    .regex(/^(https?:\/\/|[^\s@]+@[^\s@]+$)/, 'must be an e-mail address or an http(s) address')
    .optional(),
  EMBEDDED_DB_IS_FINE: flag.default(false),
  ...PROVIDER_VARIABLES,
  DNS_SERVERS: nameServers.optional(),
  WEBHOOK_REACH: z.enum(['internet', 'inside'], 'must be internet or inside').default('internet'),
  METRICS_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
})

/** Every known variable. */
export const VARIABLES = Object.keys(Environment.shape)

export type Config = {
  mode: (typeof MODES)[number]
  port: number
  host: string
  publicUrl: string | undefined
  /** True if browsers reach us by https: cookies are then Secure and `__Host-`. */
  isHttps: boolean
  dataDir: string
  databaseUrl: string | undefined
  /** Undefined if it is to be generated once under the data folder. */
  secretKey: string | undefined
  previousSecretKey: string | undefined
  adminEmail: string
  adminPassword: string | undefined
  demo: boolean
  /** How many servers of the demo are real Linux guests, where this machine can run them. */
  demoLinux: number
  /** How many VMs of the demo run as real QEMU processes, if QEMU is installed. */
  demoQemu: number
  /** How long a simple task of the demo's cluster takes; about a second on a real one. */
  demoTaskMs: number
  /** In the order in which they are offered; a purchase that names none takes the first. */
  paymentProviders: readonly ProviderName[]
  /** Why no provider that takes real money may be turned on while this runs; empty if one may. */
  realMoneyProblems: readonly string[]
  devicePolicy: (typeof DEVICE_POLICIES)[number]
  /** Whether operators must have a second factor before they can do anything. */
  operatorSecondFactor: (typeof SECOND_FACTOR)[number]
  /** How long a recovery waits, so that the owner of an account can stop it. */
  recoveryDelayHours: number
  graceDays: number
  /** How many unpaid orders an account, and a network, may have at a time; 0 means no limit. */
  unpaidLimit: number
  unpaidNetworkLimit: number
  /** How long entries of the audit log are kept. */
  auditDays: number
  registrationsPerDay: number
  /** How many ended servers are removed within an hour before an operator has to confirm. */
  removalsPerHour: number
  trustProxy: string | false
  rateLimitScale: number
  logLevel: z.output<typeof Environment>['LOG_LEVEL']
  brandName: string
  /** The operator's name, place and contact; shown to every visitor. */
  operator: { name: string | undefined; place: string | undefined; contact: string | undefined }
  /** Asked whether a client's name leads to its server; undefined: the system's. */
  dnsServers: string[] | undefined
  /** Whether webhooks may also go to this machine and to private networks. */
  webhookReach: 'internet' | 'inside'
  metricsToken: string | undefined
  /** The variables of each provider that the environment sets: its keys come from there alone. */
  providerVariables: Record<KeyedProvider, readonly string[]>
  /** Also of a provider that is no longer offered: its open payments are still settled. */
  stripe: StripeConfig | undefined
  btcpay: BtcpayConfig | undefined
  monero: MoneroConfig | undefined
}

/** Every problem of the environment at once, each a sentence that names the variable. */
export class ConfigError extends Error {
  readonly problems: string[]
  constructor(problems: string[]) {
    super(['The configuration has problems:', ...problems.map((p) => `  - ${p}`)].join('\n'))
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/** Reads and validates the environment. An empty variable counts as unset. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  )
  const parsed = Environment.safeParse(given)
  if (!parsed.success) {
    const shape = parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`)
    throw new ConfigError([...shape, ...conflicts(given)])
  }
  const env = parsed.data
  const problems = conflicts(given)
  const secretKey = env.SECRET_KEY ?? readSecretFile(env.SECRET_KEY_FILE, problems)
  const { stripe, btcpay, monero } = readKeys(given, env.PAYMENT_PROVIDER, problems)
  if (problems.length > 0) throw new ConfigError(problems)
  const demo =
    env.DEMO ?? (env.DATABASE_URL === undefined && !env.PAYMENT_PROVIDER.some(takesMoney))
  return {
    mode: env.MODE,
    port: env.PORT,
    host: env.HOST,
    publicUrl: env.PUBLIC_URL?.replace(/\/+$/, ''),
    isHttps: env.PUBLIC_URL?.startsWith('https:') ?? false,
    dataDir: resolve(env.DATA_DIR),
    databaseUrl: env.DATABASE_URL,
    secretKey,
    previousSecretKey: env.SECRET_KEY_PREVIOUS,
    adminEmail: env.ADMIN_EMAIL.toLowerCase(),
    adminPassword: env.ADMIN_PASSWORD,
    demo,
    demoLinux: env.DEMO_LINUX,
    demoQemu: env.DEMO_QEMU,
    demoTaskMs: env.DEMO_TASK_MS,
    paymentProviders: env.PAYMENT_PROVIDER,
    realMoneyProblems: realMoneyProblems({ ...given, DEMO: demo ? '1' : '0' }),
    devicePolicy: env.DEVICE_POLICY,
    operatorSecondFactor: env.OPERATOR_SECOND_FACTOR ?? (demo ? 'optional' : 'required'),
    recoveryDelayHours: env.RECOVERY_DELAY_HOURS,
    graceDays: env.GRACE_DAYS,
    unpaidLimit: env.UNPAID_LIMIT,
    unpaidNetworkLimit: env.UNPAID_NETWORK_LIMIT,
    auditDays: env.AUDIT_DAYS,
    registrationsPerDay: env.REGISTRATIONS_PER_DAY,
    removalsPerHour: env.REMOVALS_PER_HOUR,
    trustProxy: env.TRUST_PROXY ?? false,
    rateLimitScale: env.RATE_LIMIT_SCALE,
    logLevel: env.LOG_LEVEL,
    brandName: env.BRAND_NAME,
    operator: {
      name: env.OPERATOR_NAME,
      place: env.OPERATOR_PLACE,
      contact: env.OPERATOR_CONTACT,
    },
    dnsServers: env.DNS_SERVERS,
    webhookReach: env.WEBHOOK_REACH,
    metricsToken: env.METRICS_TOKEN,
    providerVariables: variablesSet(given),
    stripe,
    btcpay,
    monero,
  }
}

/**
 * Values that are invalid only in combination. Checks the raw values, so that all problems are
 * listed at once.
 */
function conflicts(env: Record<string, string | undefined>): string[] {
  const problems: string[] = []
  if (env.SECRET_KEY && env.SECRET_KEY_FILE) {
    problems.push('SECRET_KEY and SECRET_KEY_FILE are both set: keep one')
  }
  if (env.DATABASE_URL && !env.SECRET_KEY && !env.SECRET_KEY_FILE) {
    problems.push('SECRET_KEY (or SECRET_KEY_FILE) is required with DATABASE_URL')
  }
  if ((env.PAYMENT_PROVIDER ?? '').split(',').some((name) => takesMoney(name.trim()))) {
    problems.push(...realMoneyProblems(env))
  }
  if ((env.MODE === 'web' || env.MODE === 'worker') && !env.DATABASE_URL) {
    problems.push(`MODE=${env.MODE} shares the work between processes: that needs DATABASE_URL`)
  }
  if ((env.MODE === 'web' || env.MODE === 'worker') && env.DEMO === '1') {
    problems.push('DEMO=1 keeps its pretend cluster inside one process: that needs MODE=all')
  }
  return problems
}

function readSecretFile(path: string | undefined, problems: string[]): string | undefined {
  if (path === undefined) return undefined
  try {
    const secret = readFileSync(path, 'utf8').trim()
    if (secret.length >= SECRET_MIN) return secret
    problems.push(`SECRET_KEY_FILE must hold at least ${SECRET_MIN} characters`)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    problems.push(`SECRET_KEY_FILE cannot be read: ${reason}`)
  }
  return undefined
}
