/** What is used of a stream's reader. */
export interface ByteReader {
  read(): Promise<
    | { readonly done: false; readonly value: Uint8Array }
    | { readonly done: true; readonly value?: Uint8Array | undefined }
  >
  cancel(): Promise<void>
}

/** The same of a stream that others read on. */
export interface LentReader extends Pick<ByteReader, 'read'> {
  releaseLock(): void
}
