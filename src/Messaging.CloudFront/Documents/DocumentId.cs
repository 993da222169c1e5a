using System.Buffers.Binary;
using System.Buffers.Text;
using System.Globalization;
using System.Security.Cryptography;
using System.Text;

namespace Messaging.CloudFront.Documents;

/// <summary>
/// The ids of one object's documents: 22 characters made from bucket, key and version, a dash, and the row's number. The same object
/// gives the same ids whenever it comes and whatever the settings are; another version of it gives others. Threads: one at a time.
/// </summary>
internal sealed class DocumentId
{
    // 128 of SHA-256's bits in base64url: with a billion objects the chance of two alike is about 10^-21.
    private const int HashBytes = 16;
    private const int HashCharacters = 22;

    private readonly byte[] _id = new byte[HashCharacters + 1 + 20];

    /// <param name="bucket">The bucket.</param>
    /// <param name="key">The key, decoded.</param>
    /// <param name="version">Version id, or ETag where the bucket has no versions.</param>
    public DocumentId(string bucket, string key, string version)
    {
        using IncrementalHash hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        Span<byte> length = stackalloc byte[sizeof(int)];
        foreach (string part in (ReadOnlySpan<string>)[bucket, key, version])
        {
            // Lengths in front: no two objects may share what is hashed.
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

    /// <summary>The same as text, for people; touches nothing that <see cref="Of"/> lends.</summary>
    public string TextOf(long row) =>
        string.Create(CultureInfo.InvariantCulture, $"{Encoding.ASCII.GetString(_id, 0, HashCharacters)}-{row}");
}
