using System.IO.Compression;
using System.Text;

namespace Proof.Models;

/// <summary>Texts in gzip.</summary>
internal static class Gzip
{
    /// <summary>The text as one member.</summary>
    public static byte[] Compress(string text)
    {
        using MemoryStream compressed = new();
        using (GZipStream gzip = new(compressed, CompressionLevel.Fastest))
        {
            gzip.Write(Encoding.UTF8.GetBytes(text));
        }

        return compressed.ToArray();
    }

    /// <summary>The lines of the text; none of one that cannot be read.</summary>
    public static string[] ReadLines(byte[] compressed)
    {
        try
        {
            using StreamReader reader = new(new GZipStream(new MemoryStream(compressed), CompressionMode.Decompress));
            return reader.ReadToEnd().Split('\n', StringSplitOptions.RemoveEmptyEntries);
        }
        catch (InvalidDataException)
        {
            return [];
        }
    }
}
