// libsodium's X25519, Ed25519, BLAKE2b and ChaCha20-Poly1305.
#include <sodium.h>
