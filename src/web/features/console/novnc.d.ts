declare module '@novnc/novnc' {
  export default class RFB {
    constructor(target: Element, channel: WebSocket, options?: { shared?: boolean })
    scaleViewport: boolean
    clipViewport: boolean
    dragViewport: boolean
    background: string
    disconnect(): void
    focus(): void
    sendCtrlAltDel(): void
    sendKey(keysym: number, code: string | null, isDown?: boolean): void
    addEventListener(type: 'connect' | 'disconnect', listener: () => void): void
  }
}
