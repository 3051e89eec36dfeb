import { execFile, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findQemu } from '../../qemu/find-qemu.ts'
import { findImage } from '../guest-image.ts'
import { canForward } from '../guest-network.ts'

/** Whether this machine can run real guests, and has an SSH client to enter them. */
export async function canEnterGuests(): Promise<boolean> {
  const hasImage = (await findQemu()) !== undefined && findImage() !== undefined
  return hasImage && hasSsh() && (await canForward())
}

function hasSsh(): boolean {
  try {
    execFileSync('ssh', ['-V'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** A new key in this folder, and a way to run commands in the guest that has it. */
export function sshInto(folder: string, address: string) {
  const key = join(folder, 'key')
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
  const options = [
    ...['StrictHostKeyChecking=accept-new', `UserKnownHostsFile=${join(folder, 'known_hosts')}`],
    ...['BatchMode=yes', 'IdentitiesOnly=yes', 'LogLevel=ERROR'],
  ].flatMap((option) => ['-o', option])
  return {
    publicKey: readFileSync(`${key}.pub`, 'utf8'),
    async ssh(user: string, command: string, patience = 60): Promise<string> {
      const args = ['-F', 'none', '-p', '2222', '-i', key, '-o', `ConnectTimeout=${patience}`]
      const where = `${user}@${address}`
      return (await promisify(execFile)('ssh', [...args, ...options, where, command])).stdout
    },
  }
}
