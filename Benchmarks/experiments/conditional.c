// How long libcurl alone takes to ask whether files have changed: what no mirror on top of it can be faster
// than.
//
//     gcc -O2 -o conditional conditional.c -lcurl && ./conditional CONNECTIONS < LIST
//
// Each line of the list is a URL, a tab and an ETag. It prints wall and CPU seconds, and how many answers
// were 304.
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

struct question {
    CURL *easy;
    struct curl_slist *headers;
};

static long unchanged, others;

static size_t ignore(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes, (void)context;
    return size * count;
}

/// True if there was a question left.
static int next(CURLM *multi, struct question *question) {
    static char line[8192], header[8300];
    if (!fgets(line, sizeof line, stdin)) return 0;
    char *tag = strchr(line, '\t');
    if (!tag) exit(1);
    *tag++ = 0;
    tag[strcspn(tag, "\n")] = 0;
    snprintf(header, sizeof header, "If-None-Match: %s", tag);
    curl_slist_free_all(question->headers);
    question->headers = curl_slist_append(NULL, header);
    curl_easy_setopt(question->easy, CURLOPT_URL, line);
    curl_easy_setopt(question->easy, CURLOPT_HTTPHEADER, question->headers);
    curl_multi_add_handle(multi, question->easy);
    return 1;
}

int main(int count, char **arguments) {
    int connections = count > 1 ? atoi(arguments[1]) : 16, running = 0;
    struct timespec began, ended;
    clock_gettime(CLOCK_MONOTONIC, &began);
    curl_global_init(CURL_GLOBAL_ALL);
    CURLM *multi = curl_multi_init();
    struct question *questions = calloc(connections, sizeof *questions);
    for (int i = 0; i < connections; i++) {
        CURL *easy = questions[i].easy = curl_easy_init();
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, ignore);
        curl_easy_setopt(easy, CURLOPT_PRIVATE, &questions[i]);
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        running += next(multi, &questions[i]);
    }
    while (running) {
        int active, left;
        CURLMsg *message;
        curl_multi_perform(multi, &active);
        while ((message = curl_multi_info_read(multi, &left))) {
            struct question *question;
            long status = 0;
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &question);
            curl_easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &status);
            if (status == 304) unchanged++; else others++;
            curl_multi_remove_handle(multi, question->easy);
            if (!next(multi, question)) running--;
            else active = 0;
        }
        if (active) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    clock_gettime(CLOCK_MONOTONIC, &ended);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("wall %.2f s, CPU %.2f s, %ld unchanged, %ld other\n",
        ended.tv_sec - began.tv_sec + (ended.tv_nsec - began.tv_nsec) / 1e9,
        usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6,
        unchanged, others);
    return others > 0;
}
