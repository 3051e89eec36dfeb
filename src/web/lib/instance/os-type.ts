/** Proxmox's short names for the operating system of a VM, in common words. */
const WORDS: Readonly<Record<string, string>> = {
  l26: 'Linux',
  l24: 'Linux 2.4',
  win11: 'Windows 11',
  win10: 'Windows 10',
  win8: 'Windows 8',
  win7: 'Windows 7',
  wvista: 'Windows Vista',
  wxp: 'Windows XP',
  w2k8: 'Windows Server 2008',
  w2k3: 'Windows Server 2003',
  w2k: 'Windows 2000',
  solaris: 'Solaris',
  other: 'Other',
}

/** An unknown type is shown unchanged. */
export const osTypeWords = (type: string): string => WORDS[type] ?? type
