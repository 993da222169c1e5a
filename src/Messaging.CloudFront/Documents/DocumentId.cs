using System.Buffers.Binary;
using System.Buffers.Text;
using System.Globalization;
using System.Security.Cryptography;
using System.Text;

namespace Quayside.Messaging.CloudFront.Documents;

/// <summary>
/// The ids of one object's documents: 22 characters derived from bucket, key and version, a dash, and the row's number. The same version
/// of an object gives the same ids on every delivery and with any settings; another version gives other ids. Threads: one at a time.
/// </summary>
internal sealed class DocumentId
{
    // 128 bits of the SHA-256, in base64url: among a billion objects the chance of two equal ids is about 10^-21.
    private const int HashBytes = 16;
    private const int HashCharacters = 22;

    private readonly byte[] _id = new byte[HashCharacters + 1 + 20];

    /// <param name="bucket">The bucket.</param>
    /// <param name="key">The key, decoded.</param>
    /// <param name="version">Version id, or ETag where the object has none of its own.</param>
    public DocumentId(string bucket, string key, string version)
    {
        using IncrementalHash hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        Span<byte> length = stackalloc byte[sizeof(int)];
        foreach (string part in (ReadOnlySpan<string>)[bucket, key, version])
        {
            // Each part is preceded by its length, so that no two objects have the same hash input.
            byte[] bytes = Encoding.UTF8.GetBytes(part);
            BinaryPrimitives.WriteInt32BigEndian(length, bytes.Length);
            hash.AppendData(length);
            hash.AppendData(bytes);
        }

        Base64Url.EncodeToUtf8(hash.GetHashAndReset().AsSpan(0, HashBytes), _id);
        _id[HashCharacters] = (byte)'-';
    }

    /// <summary>The id of a row; a borrow until the next call.</summary>
    public ReadOnlySpan<byte> Of(long row)
    {
        row.TryFormat(_id.AsSpan(HashCharacters + 1), out int digits, default, CultureInfo.InvariantCulture);
        return _id.AsSpan(0, HashCharacters + 1 + digits);
    }

    /// <summary>The same id as text; does not change the bytes that <see cref="Of"/> lends.</summary>
    public string TextOf(long row) =>
        string.Create(CultureInfo.InvariantCulture, $"{Encoding.ASCII.GetString(_id, 0, HashCharacters)}-{row}");
}
