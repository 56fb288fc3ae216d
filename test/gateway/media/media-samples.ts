const latin = (text: string) => Uint8Array.from(text, (sign) => sign.charCodeAt(0))

/** How files begin, by what they are; enough of each to be known by. */
export const samples = {
  png: latin('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01'),
  jpeg: latin('\xff\xd8\xff\xe0\0\x10JFIF\0'),
  gif87: latin('GIF87a\x01\0\x01\0'),
  gif89: latin('GIF89a\x01\0\x01\0'),
  // A size that has a line end in it: 0x0a0d0a0d.
  webp: latin('RIFF\r\n\r\nWEBPVP8 '),
  heic: latin('\0\0\0\x18ftypheic\0\0\0\0mif1heic'),
  heix: latin('\0\0\0\x18ftypheix\0\0\0\0mif1heix'),
  heif: latin('\0\0\0\x18ftypmif1\0\0\0\0mif1heic'),
  pdf: latin('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n'),
  avif: latin('\0\0\0\x1cftypavif\0\0\0\0mif1avif'),
  avifAsHeif: latin('\0\0\0\x1cftypmif1\0\0\0\0avifmif1'),
  svg: latin('<svg xmlns="http://www.w3.org/2000/svg"/>'),
  html: latin('<!doctype html><title>Sign in</title>'),
  mp4: latin('\0\0\0\x18ftypisom\0\0\x02\0isommp42'),
  wav: latin('RIFF\x24\0\0\0WAVEfmt '),
  mp3: latin('ID3\x04\0\0\0\0\0\0'),
  empty: latin(''),
} as const
