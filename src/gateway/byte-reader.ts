/** What is used of a stream's reader. */
export interface ByteReader {
  read(): Promise<
    | { readonly done: false; readonly value: Uint8Array }
    | { readonly done: true; readonly value?: Uint8Array | undefined }
  >
  cancel(): Promise<void>
}
