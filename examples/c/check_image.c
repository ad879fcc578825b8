/* Checks a file: exit code 0 if it is sound and loses nothing, 1 if not, 2 if it cannot be read. */
#include <siliray.h>

#include <stdio.h>
#include <stdlib.h>

static unsigned char *read_file(const char *path, size_t *size)
{
   FILE *file = fopen(path, "rb");
   if (!file)
      return NULL;
   unsigned char *bytes = NULL;
   if (fseek(file, 0, SEEK_END) == 0) {
      long length = ftell(file);
      rewind(file);
      bytes = length > 0 ? malloc((size_t)length) : NULL;
      *size = bytes ? fread(bytes, 1, (size_t)length, file) : 0;
   }
   fclose(file);
   return bytes;
}

int main(int count, char **arguments)
{
   if (count != 2) {
      fprintf(stderr, "usage: check_image FILE\n");
      return 2;
   }
   size_t size = 0;
   unsigned char *bytes = read_file(arguments[1], &size);
   if (!bytes) {
      fprintf(stderr, "%s: cannot be read\n", arguments[1]);
      return 2;
   }
   siliray_error error = {0};
   siliray_context *context = NULL;
   siliray_id image, report;
   siliray_summary summary;
   siliray_reading reading = {.name = arguments[1]};
   int result = 2;
   if (siliray_context_new(NULL, &context, &error) == SILIRAY_STATUS_OK &&
       siliray_image_read(context, bytes, size, &reading, &image, &error) == SILIRAY_STATUS_OK &&
       siliray_check(context, image, 0, &report, &error) == SILIRAY_STATUS_OK &&
       siliray_report_summary(context, report, &summary, &error) == SILIRAY_STATUS_OK) {
      siliray_finding finding;
      for (size_t n = 0; n < summary.findings; n++) {
         siliray_report_finding(context, report, n, &finding, NULL);
         if (finding.severity != SILIRAY_SEVERITY_NOTE)
            printf("%s: %s\n", arguments[1], finding.line);
      }
      siliray_file_structure structure;
      for (size_t n = 0; siliray_image_structure(context, image, n, &structure, NULL) == 0; n++)
         printf("%s: %zu: %s, %u primitives, %zu bytes\n", arguments[1], n, structure.level,
                structure.primitives, structure.bytes);
      result = summary.errors + summary.warnings > 0;
   } else {
      fprintf(stderr, "%s: %s\n", arguments[1], error.text);
   }
   siliray_context_free(&context, NULL);
   free(bytes);
   return result;
}
