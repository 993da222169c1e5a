using System.Text;

namespace Quayside.Messaging.Console.Api;

/// <summary>Text that is read while it is written; what is beyond its maximum length is dropped. Threads: any.</summary>
/// <param name="maxLength">Its maximum length, in characters.</param>
internal sealed class BoundedText(int maxLength) : TextWriter
{
    private readonly StringBuilder _text = new();

    public override Encoding Encoding => Encoding.UTF8;

    public override void Write(char value) => Write([value]);

    public override void Write(ReadOnlySpan<char> buffer)
    {
        lock (_text)
        {
            _text.Append(buffer[..Math.Min(buffer.Length, maxLength - _text.Length)]);
        }
    }

    public override void Write(string? value) => Write(value.AsSpan());

    public override void WriteLine(string? value) => Write($"{value}\n".AsSpan());

    /// <summary>The text so far.</summary>
    public override string ToString()
    {
        lock (_text)
        {
            return _text.ToString();
        }
    }
}
