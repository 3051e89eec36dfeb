import type { ClientOrder } from '#shared/api/shop/orders.ts'

const BY: Record<NonNullable<ClientOrder['answer']>['by'], string> = {
  ssh: 'SSH',
  agent: 'its guest agent',
  rdp: 'Remote Desktop',
  picture: 'the picture of its screen',
}

/** How a new server answered: "Answering: SSH, host key SHA256:…". */
export const answerWords = ({ by, hostKey }: NonNullable<ClientOrder['answer']>): string =>
  `Answering: ${BY[by]}${hostKey === null ? '' : `, host key ${hostKey}`}.`
