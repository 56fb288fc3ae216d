/** What those who check certificates say, by their codes, as the rest of a sentence about a server. */
const complaints: Readonly<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate of another name',
  CERT_HAS_EXPIRED: 'has a certificate that has expired',
  CERT_NOT_YET_VALID: 'has a certificate that is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'has a certificate that nobody known here has signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'has a certificate of an authority that is not known here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'has a certificate of an authority that is not known here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'has a certificate of an authority that is not known here',
}

/** What is wrong with a server's certificate, by an error of a connection; undefined: nothing known. */
export function tlsComplaint(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? complaints[String(error.code)] : undefined
}
