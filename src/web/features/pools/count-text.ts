export const countText = (count: number): string =>
  count === 1 ? '1 server' : `${count.toLocaleString('en')} servers`
