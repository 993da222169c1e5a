using System.Buffers;
using System.Text.Json;

namespace Benchmarks.CloudFront.Bulk;

/// <summary>
/// The published optimisation, corrected: the body in a rented array, its tokens by Utf8JsonReader, an end at <c>"errors":false</c>, an id
/// as a string for each item until its status is known.
/// </summary>
internal static class TokensOfTheIdea
{
    public static BulkFailures Read(Stream stream)
    {
        byte[] rented = ArrayPool<byte>.Shared.Rent((int)stream.Length);
        try
        {
            int length = stream.ReadAtLeast(rented, (int)stream.Length);
            return Read(rented.AsSpan(0, length));
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(rented);
        }
    }

    private static BulkFailures Read(ReadOnlySpan<byte> json)
    {
        Utf8JsonReader reader = new(json);
        List<string> failed = [];
        string? id = null;
        while (reader.Read())
        {
            if (reader.TokenType != JsonTokenType.PropertyName)
            {
                continue;
            }

            if (reader.CurrentDepth == 1 && reader.ValueTextEquals("errors"u8))
            {
                reader.Read();
                if (!reader.GetBoolean())
                {
                    return BulkFailures.None;
                }
            }
            else if (reader.CurrentDepth == 4 && reader.ValueTextEquals("_id"u8))
            {
                reader.Read();
                id = reader.GetString();
            }
            else if (reader.CurrentDepth == 4 && reader.ValueTextEquals("status"u8))
            {
                reader.Read();
                if (reader.GetInt32() >= 300)
                {
                    failed.Add(id!);
                }
            }
        }

        return new BulkFailures(Success: false, failed);
    }
}
