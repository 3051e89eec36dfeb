import { describe, expect, test } from 'vitest'
import { isoImage } from './iso-image.ts'
import { readIso as read } from './testing/read-iso.ts'

const SECTOR = 2048
const text = new TextDecoder()

describe('an ISO image', () => {
  test('holds the files under the names they were given', () => {
    const image = isoImage('cidata', [
      { name: 'user-data', content: '#cloud-config\nhostname: brückenkopf\n' },
      { name: 'meta-data', content: 'instance-id: 1\n' },
      { name: 'empty', content: '' },
      { name: 'blob.bin', content: Uint8Array.from({ length: 5000 }, (_, n) => n % 251) },
    ])
    expect(image.length % SECTOR).toBe(0)
    const { label, files } = read(image)
    expect(label).toBe('cidata')
    expect(files.map(({ name, isoName }) => [name, isoName])).toEqual([
      ['blob.bin', 'BLOB_BIN.;1'],
      ['empty', 'EMPTY.;1'],
      ['meta-data', 'META_DATA.;1'],
      ['user-data', 'USER_DATA.;1'],
    ])
    const [blob, empty, meta, user] = files.map(({ content }) => content)
    expect(blob).toEqual(Uint8Array.from({ length: 5000 }, (_, n) => n % 251))
    expect(empty).toHaveLength(0)
    expect(text.decode(meta)).toBe('instance-id: 1\n')
    expect(text.decode(user)).toContain('brückenkopf')
  })

  test('has the size of its volume in its descriptor', () => {
    const image = isoImage('x', [{ name: 'a', content: 'b' }])
    const view = new DataView(image.buffer)
    expect(view.getUint32(16 * SECTOR + 80, true) * SECTOR).toBe(image.length)
    expect(text.decode(image.subarray(17 * SECTOR + 1, 17 * SECTOR + 6))).toBe('CD001')
  })

  test('is the same for the same files', () => {
    const make = () => isoImage('cidata', [{ name: 'user-data', content: 'x' }])
    expect(make()).toEqual(make())
  })

  test('keeps many files apart whose plain names are alike', () => {
    const names = Array.from({ length: 60 }, (_, n) => `a-long-name-of-a-file-with-number-${n}`)
    const { files } = read(
      isoImage(
        'many',
        names.map((name) => ({ name, content: name })),
      ),
    )
    expect(files.map(({ name }) => name).sort()).toEqual([...names].sort())
    expect(new Set(files.map(({ isoName }) => isoName)).size).toBe(60)
    for (const { name, content } of files) expect(text.decode(content)).toBe(name)
  })

  test.each(['', '..', 'a/b', 'x'.repeat(101)])('refuses %j as a name', (name) => {
    expect(() => isoImage('cidata', [{ name, content: '' }])).toThrow('not the name of a file')
  })

  test('refuses two files of one name, and a label that does not fit', () => {
    const twice = [
      { name: 'a', content: '' },
      { name: 'a', content: '' },
    ]
    expect(() => isoImage('cidata', twice)).toThrow('two files of an image are named a')
    expect(() => isoImage('ä', [])).toThrow('an ISO label has 1 to 32 ASCII characters')
    expect(() => isoImage('x'.repeat(33), [])).toThrow('an ISO label')
  })
})
