import type { Duplex } from 'node:stream'
import { readBytes } from './byte-reader.ts'
import { answerChallenge } from './vnc-auth.ts'

const VERSION = Buffer.from('RFB 003.008\n')
const NO_AUTHENTICATION = 1
const VNC_AUTHENTICATION = 2
const CHALLENGE_BYTES = 16
const OK = Buffer.from([0, 0, 0, 0])

/** The screen refused the password, or uses another protocol. */
class HandshakeError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'HandshakeError'
  }
}

/** Signs in to a VM's screen, so that its password does not reach the browser. */
export async function signInToScreen(screen: Duplex, password: string): Promise<void> {
  const version = await readBytes(screen, VERSION.length)
  if (!version.toString('latin1').startsWith('RFB 003.')) {
    throw new HandshakeError('The other end is no VNC screen.')
  }
  screen.write(VERSION)
  const [count = 0] = await readBytes(screen, 1)
  if (count === 0) throw new HandshakeError('The screen refused the connection.')
  const kinds = await readBytes(screen, count)
  if (kinds.includes(VNC_AUTHENTICATION)) {
    screen.write(Buffer.from([VNC_AUTHENTICATION]))
    screen.write(answerChallenge(password, await readBytes(screen, CHALLENGE_BYTES)))
  } else if (kinds.includes(NO_AUTHENTICATION)) {
    screen.write(Buffer.from([NO_AUTHENTICATION]))
  } else {
    throw new HandshakeError('The screen asks for a kind of sign-in we do not know.')
  }
  const result = await readBytes(screen, OK.length)
  if (!result.equals(OK)) throw new HandshakeError('The screen refused the password.')
}

/**
 * The server's side of the handshake: the viewer has authenticated by its ticket and needs no
 * password.
 */
export async function welcomeViewer(viewer: Duplex): Promise<void> {
  viewer.write(VERSION)
  await readBytes(viewer, VERSION.length)
  viewer.write(Buffer.from([1, NO_AUTHENTICATION]))
  const [chosen] = await readBytes(viewer, 1)
  if (chosen !== NO_AUTHENTICATION) throw new HandshakeError('The viewer chose another sign-in.')
  viewer.write(OK)
}
