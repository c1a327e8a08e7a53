// What a file of launches tells the recorder. Buffers get their addresses here, and their contents where they are used.
#pragma once

#include <cstddef>

void begin(const char* program);  // the launches that follow belong to it; buffers of the one before are gone

void* numbers(size_t bytes);  // bytes that are small finite numbers in every type
void* bits(size_t bytes);     // any bytes
void* zeros(size_t bytes);

void launches();  // each file defines it
