using System.Text.Json;

namespace Lab.Json;

/// <summary>The failed ids of a bulk response, token by token: an id becomes a string only when its row failed.</summary>
internal struct BulkScan : IJsonScan
{
    // {"items":[{"index":{"_id":…
    private const int ResultDepth = 4;
    private const int LongestId = 512;

    private readonly byte[] _id;
    private readonly List<string> _failed;
    private int _idLength;
    private int _status;
    private Field _field;

    public BulkScan()
    {
        _id = new byte[LongestId];
        _failed = [];
    }

    private enum Field
    {
        None,
        Id,
        Status,
    }

    public readonly List<string> Result => _failed;

    public void Read(ref Utf8JsonReader reader)
    {
        while (reader.Read())
        {
            switch (reader.TokenType)
            {
                case JsonTokenType.PropertyName when reader.CurrentDepth == ResultDepth:
                    _field = reader.ValueTextEquals("_id"u8) ? Field.Id : reader.ValueTextEquals("status"u8) ? Field.Status : Field.None;
                    break;
                case JsonTokenType.String when _field == Field.Id:
                    _idLength = reader.CopyString(_id);
                    _field = Field.None;
                    break;
                case JsonTokenType.Number when _field == Field.Status:
                    _status = reader.GetInt32();
                    _field = Field.None;
                    break;
                case JsonTokenType.EndObject when reader.CurrentDepth == ResultDepth - 1 && _status >= 300:
                    _failed.Add(System.Text.Encoding.UTF8.GetString(_id, 0, _idLength));
                    _status = 0;
                    break;
            }
        }
    }
}
