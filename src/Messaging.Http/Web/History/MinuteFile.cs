using System.Buffers.Binary;
using System.Numerics;
using Microsoft.Win32.SafeHandles;

namespace Quayside.Messaging.Http.Web.History;

/// <summary>
/// A <see cref="MinuteRing"/> on disk: a header and one record of 64 bytes for each of 1,440 minutes, written in place, so that the file never grows. A
/// record has a checksum: one torn by a crash counts as a minute without figures. Threads: one at a time.
/// </summary>
internal sealed class MinuteFile : IDisposable
{
    public const int HeaderBytes = 64;

    /// <summary>The minute, its values, and a checksum of both.</summary>
    public const int RecordBytes = sizeof(uint) + (MinuteRing.Width * sizeof(float)) + sizeof(uint);

    /// <summary>Size of a file: 92,224 bytes.</summary>
    public const int FileBytes = HeaderBytes + (MinuteRing.Minutes * RecordBytes);

    private readonly SafeFileHandle _handle;

    private MinuteFile(SafeFileHandle handle) => _handle = handle;

    private static ReadOnlySpan<byte> Magic => "worker-history/1\n"u8;

    /// <summary>Opens a file, or makes one in its full size, so that later writes need no space.</summary>
    /// <param name="path">The file; its folder is made.</param>
    /// <returns>The file, which no other process can open meanwhile.</returns>
    /// <exception cref="IOException">Another process has it open, it is no history, or the disk is full.</exception>
    /// <exception cref="UnauthorizedAccessException">The worker may not write it.</exception>
    public static MinuteFile Open(string path)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        SafeFileHandle handle = File.OpenHandle(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
        try
        {
            Span<byte> header = stackalloc byte[HeaderBytes];
            header = header[..RandomAccess.Read(handle, header, 0)];
            if (!header.StartsWith(Magic))
            {
                // A file whose creation was cut off begins with zeros.
                if (header.ContainsAnyExcept((byte)0))
                {
                    throw new IOException($"The file '{path}' is not a history of this version. Delete it, or name another folder.");
                }

                RandomAccess.Write(handle, new byte[FileBytes], 0);
                RandomAccess.Write(handle, Magic, 0);
            }

            return new MinuteFile(handle);
        }
        catch
        {
            handle.Dispose();
            throw;
        }
    }

    /// <summary>Reads every record that is whole.</summary>
    /// <returns>The bytes for <see cref="Load"/>.</returns>
    public byte[] Read()
    {
        byte[] all = new byte[MinuteRing.Minutes * RecordBytes];
        int length = 0;
        while (RandomAccess.Read(_handle, all.AsSpan(length), HeaderBytes + length) is > 0 and int read)
        {
            length += read;
        }

        return all;
    }

    /// <summary>Adds the records of a file to a ring, except where it has newer figures.</summary>
    /// <param name="all">The answer of <see cref="Read"/>.</param>
    /// <param name="ring">Where they go.</param>
    public static void Load(ReadOnlySpan<byte> all, MinuteRing ring)
    {
        Span<float> values = stackalloc float[MinuteRing.Width];
        for (; !all.IsEmpty; all = all[RecordBytes..])
        {
            ReadOnlySpan<byte> record = all[..RecordBytes];
            uint minute = BinaryPrimitives.ReadUInt32LittleEndian(record);
            if (minute == 0 || ring.HasNewer(minute) || BinaryPrimitives.ReadUInt32LittleEndian(record[^sizeof(uint)..]) != Checksum(record))
            {
                continue;
            }

            for (int i = 0; i < values.Length; i++)
            {
                values[i] = BinaryPrimitives.ReadSingleLittleEndian(record[(sizeof(uint) + (i * sizeof(float)))..]);
            }

            ring.Add(minute, values);
        }
    }

    /// <summary>Writes the figures of a minute.</summary>
    /// <exception cref="IOException">They could not be written.</exception>
    public void Write(uint minute, ReadOnlySpan<float> values)
    {
        Span<byte> record = stackalloc byte[RecordBytes];
        BinaryPrimitives.WriteUInt32LittleEndian(record, minute);
        for (int i = 0; i < values.Length; i++)
        {
            BinaryPrimitives.WriteSingleLittleEndian(record[(sizeof(uint) + (i * sizeof(float)))..], values[i]);
        }

        BinaryPrimitives.WriteUInt32LittleEndian(record[^sizeof(uint)..], Checksum(record));
        RandomAccess.Write(_handle, record, HeaderBytes + (minute % MinuteRing.Minutes * RecordBytes));
    }

    public void Dispose() => _handle.Dispose();

    private static uint Checksum(ReadOnlySpan<byte> record)
    {
        uint sum = uint.MaxValue;
        for (int i = 0; i < RecordBytes - sizeof(uint); i += sizeof(uint))
        {
            sum = BitOperations.Crc32C(sum, BinaryPrimitives.ReadUInt32LittleEndian(record[i..]));
        }

        return ~sum;
    }
}
