/* Work for measuring: matrix products, a sort, a checksum. The exit code depends on all of it. */
#include <stdint.h>

static int a[64][64], b[64][64], product[64][64];
static uint32_t list[4096];

static uint64_t state = 88172645463325252u;

static uint64_t next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static uint32_t checksum(uint32_t crc, uint8_t byte) {
  crc ^= byte;
  for (int bit = 0; bit < 8; bit++)
    crc = crc >> 1 ^ (0xEDB88320u & -(crc & 1));
  return crc;
}

static void shell_sort(void) {
  for (int gap = 2048; gap > 0; gap /= 2)
    for (int i = gap; i < 4096; i++) {
      uint32_t moved = list[i];
      int j = i;
      for (; j >= gap && list[j - gap] > moved; j -= gap)
        list[j] = list[j - gap];
      list[j] = moved;
    }
}

int main(void) {
  uint32_t crc = ~0u;
  for (int round = 0; round < 100; round++) {
    for (int i = 0; i < 64; i++)
      for (int j = 0; j < 64; j++) {
        a[i][j] = next() & 255;
        b[i][j] = next() & 255;
      }
    for (int i = 0; i < 64; i++)
      for (int j = 0; j < 64; j++) {
        int sum = 0;
        for (int k = 0; k < 64; k++)
          sum += a[i][k] * b[k][j];
        product[i][j] = sum;
      }
    for (int i = 0; i < 4096; i++)
      list[i] = next();
    shell_sort();
    for (int i = 0; i < 64; i++)
      for (int j = 0; j < 64; j++)
        crc = checksum(crc, product[i][j] ^ list[64 * i + j]);
  }
  return crc & 63;
}
