import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import {
  type BtcpayConfig,
  btcpayConfig,
  type StripeConfig,
  stripeConfig,
} from './provider-config.ts'

const PAYMENT_PROVIDERS = ['sandbox', 'manual', 'stripe', 'btcpay'] as const
/** How a device that already has an account is treated: refused, no free trial, or no effect. */
const DEVICE_POLICIES = ['strict', 'trial', 'off'] as const
const REAL_MONEY = new Set<string>(['stripe', 'btcpay'])
/** What a process does: serve pages and calls, run jobs, or both. */
const MODES = ['all', 'web', 'worker'] as const
const SECRET_MIN = 32

const flag = z.enum(['0', '1'], { error: 'must be 0 or 1' }).transform((value) => value === '1')
const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http(s) address' })
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
  PAYMENT_PROVIDER: z
    .enum(PAYMENT_PROVIDERS, { error: `must be one of ${PAYMENT_PROVIDERS.join(', ')}` })
    .default('sandbox'),
  MODE: z.enum(MODES, { error: `must be one of ${MODES.join(', ')}` }).default('all'),
  DEVICE_POLICY: z
    .enum(DEVICE_POLICIES, { error: 'must be strict, trial or off' })
    .default('strict'),
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
  STRIPE_SECRET_KEY: z.string().optional(),
  STRIPE_SECRET_KEY_FILE: z.string().optional(),
  STRIPE_WEBHOOK_SECRET: z.string().optional(),
  STRIPE_WEBHOOK_SECRET_FILE: z.string().optional(),
  STRIPE_API_URL: httpUrl.optional(),
  BTCPAY_URL: httpUrl.optional(),
  BTCPAY_STORE_ID: z.string().optional(),
  BTCPAY_API_KEY: z.string().optional(),
  BTCPAY_API_KEY_FILE: z.string().optional(),
  BTCPAY_WEBHOOK_SECRET: z.string().optional(),
  BTCPAY_WEBHOOK_SECRET_FILE: z.string().optional(),
  BTCPAY_PAYMENT_METHODS: z
    .string()
    .regex(/^[\w-]+(,[\w-]+)*$/, 'must be ids of payment methods, comma-separated')
    .optional(),
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
  paymentProvider: (typeof PAYMENT_PROVIDERS)[number]
  devicePolicy: (typeof DEVICE_POLICIES)[number]
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
  metricsToken: string | undefined
  /** The chosen provider's settings; undefined for one that needs none. */
  stripe: StripeConfig | undefined
  btcpay: BtcpayConfig | undefined
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
  const stripe = env.PAYMENT_PROVIDER === 'stripe' ? stripeConfig(given, problems) : undefined
  const btcpay = env.PAYMENT_PROVIDER === 'btcpay' ? btcpayConfig(given, problems) : undefined
  if (problems.length > 0) throw new ConfigError(problems)
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
    demo: env.DEMO ?? (env.DATABASE_URL === undefined && !REAL_MONEY.has(env.PAYMENT_PROVIDER)),
    demoLinux: env.DEMO_LINUX,
    demoQemu: env.DEMO_QEMU,
    demoTaskMs: env.DEMO_TASK_MS,
    paymentProvider: env.PAYMENT_PROVIDER,
    devicePolicy: env.DEVICE_POLICY,
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
    metricsToken: env.METRICS_TOKEN,
    stripe,
    btcpay,
  }
}

/**
 * Values that are invalid only in combination. Checks the raw values, so that all problems are
 * listed at once.
 */
function conflicts(env: Record<string, string | undefined>): string[] {
  const problems: string[] = []
  const isRealMoney = REAL_MONEY.has(env.PAYMENT_PROVIDER ?? '')
  if (env.SECRET_KEY && env.SECRET_KEY_FILE) {
    problems.push('SECRET_KEY and SECRET_KEY_FILE are both set: keep one')
  }
  if (env.DATABASE_URL && !env.SECRET_KEY && !env.SECRET_KEY_FILE) {
    problems.push('SECRET_KEY (or SECRET_KEY_FILE) is required with DATABASE_URL')
  }
  if (isRealMoney && Number(env.RATE_LIMIT_SCALE ?? 1) === 0) {
    problems.push('RATE_LIMIT_SCALE 0 turns the limits off: not with a real payment provider')
  }
  if (isRealMoney && !env.DATABASE_URL && env.EMBEDDED_DB_IS_FINE !== '1') {
    problems.push(
      'PAYMENT_PROVIDER takes real money, but the embedded database does not survive a power cut: ' +
        'set DATABASE_URL to a PostgreSQL, or EMBEDDED_DB_IS_FINE=1 if you accept the loss',
    )
  }
  if (isRealMoney && !env.PUBLIC_URL) {
    problems.push('PUBLIC_URL is required with a real payment provider: clients come back to it')
  }
  if (isRealMoney && env.DEMO === '1') {
    problems.push('DEMO=1 shows invented servers: not with a real payment provider')
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
