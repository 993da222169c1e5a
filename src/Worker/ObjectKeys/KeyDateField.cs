namespace Worker.ObjectKeys;

/// <summary>A field of a date in a key: four digits for the year, two for the others.</summary>
internal enum KeyDateField
{
    Year = 0,
    Month,
    Day,
    Hour,
    Minute,
    Second,
}
