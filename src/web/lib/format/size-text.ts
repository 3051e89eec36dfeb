import { type InstanceSize, sizeFromName } from '#shared/rules/instance/instance-size.ts'

export const sizeText = ({ cpu, ramGb, diskGb, diskKind }: InstanceSize): string =>
  `${cpu} CPU · ${ramGb} GB RAM · ${diskGb} GB ${diskKind}`

/** The size stated in a name, in one line. */
export const sizeTextOf = (name: string): string => sizeText(sizeFromName(name))
