import type { Bytes } from './wire.ts'

/** y² = x³ − 3x + b over a prime field (FIPS 186-4, D.1.2). */
type Curve = { bits: number; prime: bigint; b: bigint; order: bigint }

const CURVES = {
  nistp256: {
    bits: 256,
    prime: 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn,
    b: 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
    order: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  },
  nistp384: {
    bits: 384,
    prime:
      0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffffn,
    b: 0xb3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aefn,
    order:
      0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
  },
  nistp521: {
    bits: 521,
    prime: 2n ** 521n - 1n,
    b: 0x51953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00n,
    order:
      0x1fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409n,
  },
} satisfies Record<string, Curve>

export type CurveName = keyof typeof CURVES

const UNCOMPRESSED = 4

/** A point of the curve that OpenSSH accepts as a key: uncompressed, and not a special one. */
export function isPointOn(name: CurveName, point: Bytes): boolean {
  const { bits, prime, b, order } = CURVES[name]
  const size = Math.ceil(bits / 8)
  if (point.length !== 1 + 2 * size || point[0] !== UNCOMPRESSED) return false
  const x = toInteger(point.subarray(1, 1 + size))
  const y = toInteger(point.subarray(1 + size))
  const isOrdinary = (part: bigint) => part < order - 1n && part >> BigInt(bits >> 1) > 0n
  return isOrdinary(x) && isOrdinary(y) && (y * y - x * x * x + 3n * x - b) % prime === 0n
}

const toInteger = (bytes: Bytes): bigint =>
  bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
