namespace Messaging.Storage;

/// <summary>Permissions of a file as operators write them: octal, such as <c>0640</c>.</summary>
internal static class OctalFileMode
{
    private const int Owner = (int)(UnixFileMode.UserRead | UnixFileMode.UserWrite);
    private const int Allowed = Owner | (int)(UnixFileMode.GroupRead | UnixFileMode.GroupWrite | UnixFileMode.OtherRead | UnixFileMode.OtherWrite);

    /// <summary>Reads three octal digits, with or without a leading 0. The owner must be able to read and write; nothing may be executable.</summary>
    public static bool TryParse(string text, out UnixFileMode mode)
    {
        mode = default;
        string digits = text.Length == 4 && text[0] == '0' ? text[1..] : text;
        if (digits.Length != 3 || !digits.All(digit => digit is >= '0' and <= '7'))
        {
            return false;
        }

        int bits = Convert.ToInt32(digits, 8);
        mode = (UnixFileMode)bits;
        return (bits & Owner) == Owner && (bits & ~Allowed) == 0;
    }
}
