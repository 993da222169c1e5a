using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Microsoft.Extensions.ObjectPool;
using Newtonsoft.Json;

namespace Lab.Techniques.JsonPooling;

/// <summary>A reply as UTF-8 JSON: through a text, new or pooled, or directly to bytes.</summary>
internal static class ReplyJson
{
    // Escapes as little as Newtonsoft.Json does, so that all variants write the same bytes.
    public static readonly JavaScriptEncoder Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping;

    private static readonly Newtonsoft.Json.JsonSerializer Serializer = Newtonsoft.Json.JsonSerializer.CreateDefault();
    private static readonly ObjectPool<StringBuilder> Builders = new DefaultObjectPoolProvider().CreateStringBuilderPool(256, 16_384);
    private static readonly JsonTypeInfo<Reply> Generated = new ReplyContext(new JsonSerializerOptions { Encoder = Encoder }).Reply;

    /// <summary>Frozen: a new text every time.</summary>
    public static byte[] NewBuilder(Reply reply) => Write(reply, new StringBuilder(256));

    /// <summary>The published improvement: the text's memory is reused.</summary>
    public static byte[] PooledBuilder(Reply reply)
    {
        StringBuilder builder = Builders.Get();
        try
        {
            return Write(reply, builder);
        }
        finally
        {
            Builders.Return(builder);
        }
    }

    /// <summary>No text at all; the runtime pools its writer and buffer itself.</summary>
    public static byte[] Utf8Bytes(Reply reply) => System.Text.Json.JsonSerializer.SerializeToUtf8Bytes(reply, Generated);

    private static byte[] Write(Reply reply, StringBuilder builder)
    {
        using StringWriter text = new(builder, CultureInfo.InvariantCulture);
        using JsonTextWriter writer = new(text);
        Serializer.Serialize(writer, reply);
        return Encoding.UTF8.GetBytes(text.ToString());
    }
}
