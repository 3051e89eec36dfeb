import { type InstanceSize, sizeFromName } from '#shared/rules/instance/instance-size.ts'

const sizeText = ({ cpu, ramGb, diskGb, diskKind }: InstanceSize): string =>
  `${cpu} CPU · ${ramGb} GB RAM · ${diskGb} GB ${diskKind}`

/** The size a name speaks of, in one line. */
export const sizeTextOf = (name: string): string => sizeText(sizeFromName(name))
